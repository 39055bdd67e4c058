// Validates JSON by Ajv. The requests and answers are those of peer.py, but for what is declared, which is not said here.
'use strict';
const readline = require('readline');
const options = { strict: false, validateFormats: false, logger: false, allErrors: false };

function make(draft) {
  if (draft === '4') {
    const Ajv = require('ajv-draft-04');
    return new (Ajv.default ?? Ajv)(options);
  }
  const folder = { '2019-09': 'ajv/dist/2019', '2020-12': 'ajv/dist/2020' }[draft] ?? 'ajv';
  const ajv = new (require(folder).default)(options);
  if (draft === '6') ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
  return ajv;
}

const validators = {};
const sides = {};

function answer(asked) {
  if (asked.side) {
    validators[asked.draft] ??= make(asked.draft);
    try {
      sides[asked.side] = validators[asked.draft].compile(asked.schema);
      return {};
    } catch (error) {
      return { refused: String(error.message) };
    } finally {
      validators[asked.draft].removeSchema(asked.schema);
    }
  }
  const [writer, reader] = [sides[asked.writer], sides[asked.reader]];
  return asked.data.map((value) => {
    try {
      return [writer(value), reader(value)];
    } catch {
      return [null, null];
    }
  });
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  console.log(JSON.stringify(answer(JSON.parse(line))));
});
