const filter = document.getElementById("filter");
const findings = document.querySelectorAll(".finding");
filter.hidden = findings.length === 0;
filter.querySelector("input").addEventListener("input", function (event) {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const finding of findings) {
    const text = finding.textContent.toLowerCase();
    finding.hidden = !words.every(function (word) { return text.includes(word); });
  }
});
