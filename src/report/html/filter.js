const filter = document.getElementById("filter");
const findings = document.querySelectorAll(".finding");
const groups = document.querySelectorAll(".group");
filter.hidden = findings.length === 0;
filter.querySelector("input").addEventListener("input", function (event) {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const finding of findings) {
    const text = finding.textContent.toLowerCase();
    finding.hidden = !words.every(function (word) { return text.includes(word); });
  }
  for (const group of groups) {
    group.hidden = group.querySelector(".finding:not([hidden])") === null;
    group.open = group.open || event.target.value.trim() !== "";
  }
});
