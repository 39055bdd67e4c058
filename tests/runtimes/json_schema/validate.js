// Validates instances by Ajv for history.py. Standard input is {"folder", "asked": [[SIDE, PATH, INSTANCE]]}, standard output
// a list: true, false, or null where the schema cannot be compiled.
'use strict';
const fs = require('fs');
const path = require('path');
const options = { strict: false, validateFormats: false, logger: false, validateSchema: false, addUsedSchema: false };

function kind(schema) {
  const dialect = String(schema.$schema ?? '');
  if (dialect.includes('draft-04')) return 'ajv-draft-04';
  if (dialect.includes('2019-09')) return 'ajv/dist/2019';
  return /draft-0[67]/.test(dialect) ? 'ajv' : 'ajv/dist/2020';
}

// Up to draft 7 nothing counts beside `$ref`, and draft 4 has fewer keywords; Ajv has them count in every draft.
function alone(document) {
  if (!/draft-0[467]/.test(document.$schema ?? '')) return document;
  const later = /draft-04/.test(document.$schema) ? ['const', 'contains', 'propertyNames', 'if', 'then', 'else'] : [];
  const strip = (value, isMap) => {
    if (Array.isArray(value)) return value.map((one) => strip(one, false));
    if (value === null || typeof value !== 'object') return value;
    if (!isMap && typeof value.$ref === 'string') {
      const kept = Object.entries(value).filter(([key]) => ['$ref', '$schema', '$id', 'id', 'definitions'].includes(key));
      return Object.fromEntries(kept.map(([key, inner]) => [key, key === 'definitions' ? strip(inner, true) : inner]));
    }
    const isNamed = (key) => !isMap && ['properties', 'patternProperties', 'definitions', 'dependencies'].includes(key);
    const isData = (key) => !isMap && ['enum', 'const', 'default', 'examples'].includes(key);
    const known = Object.entries(value).filter(([key]) => isMap || !later.includes(key));
    return Object.fromEntries(known.map(([key, inner]) => [key, isData(key) ? inner : strip(inner, isNamed(key))]));
  };
  return strip(document, false);
}

function documents(folder, inside = '') {
  const found = {};
  for (const entry of fs.readdirSync(path.join(folder, inside), { withFileTypes: true })) {
    const at = path.join(inside, entry.name);
    if (entry.isDirectory()) Object.assign(found, documents(folder, at));
    else {
      try {
        const text = fs.readFileSync(path.join(folder, at), 'utf8').replace(/^\uFEFF/, '');
        // `file://` before a relative path is taken for it.
        found[at] = alone(JSON.parse(text.replace(/("\$ref"\s*:\s*")file:\/\/(?!\/)/g, '$1')));
      } catch {} // said by the program under test
    }
  }
  return found;
}

const { folder, asked } = JSON.parse(fs.readFileSync(0, 'utf8'));
const sides = {};
const compiled = {};

function validator(side, file) {
  sides[side] ??= documents(path.join(folder, side));
  const schema = sides[side][file];
  const Ajv = require(kind(schema));
  const ajv = new (Ajv.default ?? Ajv)(options);
  if (/draft-06/.test(schema.$schema)) ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
  for (const [other, document] of Object.entries(sides[side])) {
    try {
      if (kind(document) === kind(schema)) ajv.addSchema(document, document.$id || document.id ? undefined : `file:///${other}`);
    } catch {} // two files of one address
  }
  return ajv.getSchema(schema.$id ?? schema.id ?? `file:///${file}`) ?? ajv.compile(schema);
}

const answers = asked.map(([side, file, instance]) => {
  try {
    compiled[`${side} ${file}`] ??= validator(side, file);
    return compiled[`${side} ${file}`](instance);
  } catch {
    return null;
  }
});
console.log(JSON.stringify(answers));
