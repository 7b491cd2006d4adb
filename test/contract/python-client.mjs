import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every schema that an answer is made of; generated as classes that take an answer apart and refuse what does not fit. */
const CLIENT = `import json
import sys
import urllib.error
import urllib.request

import models

base = sys.argv[1]


def ask(path):
    try:
        with urllib.request.urlopen(base + path) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


status, body = ask("/v1/domains/check?domain=coffeecart.com.au")
checked = models.check_result_from_dict(body)
status, body = ask("/api/v1/search?q=coffee&per_page=1")
page = models.search_result_from_dict(body)
status, body = ask("/v1/domains/check?domain=no%20name")
wrong = models.error_from_dict(body)
try:
    models.check_result_from_dict({"ok": "yes"})
    refused = False
except (AssertionError, KeyError, TypeError):
    refused = True
print(json.dumps({
    "domain": checked.domain,
    "found": len(page.results),
    "status": status,
    "code": wrong.error.code.value,
    "refused": refused,
}))
`;
const TOP_LEVEL = ['CheckResult', 'SearchResult', 'Error'];

/**
 * Generates Python's classes of the document's schemas with quicktype, compiles them and a client on them, and runs it against the
 * service. (Generators of whole clients bring a jar from elsewhere, or have no Python.)
 */
export async function runPythonClient({ document, url, scratch, tool, run }) {
  const { components } = JSON.parse(await readFile(document, 'utf8'));
  // Moments stay texts: quicktype reads them with a package that is not Python's own.
  const definitions = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
    (name, value) => (name === 'format' && typeof value === 'string' ? undefined : value),
  );
  const sources = [];
  for (const name of TOP_LEVEL) {
    const file = join(scratch, `${name}.json`);
    const $schema = 'http://json-schema.org/draft-06/schema#';
    await writeFile(file, JSON.stringify({ $schema, $ref: `#/definitions/${name}`, definitions }));
    sources.push(file);
  }
  const options = ['--lang', 'python', '--python-version', '3.7', '--src-lang', 'schema'];
  tool('quicktype', [...options, '--out', join(scratch, 'models.py'), ...sources]);
  await writeFile(join(scratch, 'client.py'), CLIENT);
  run('python3', ['-m', 'py_compile', join(scratch, 'models.py'), join(scratch, 'client.py')]);
  const said = JSON.parse(run('python3', [join(scratch, 'client.py'), url]));
  const expected = {
    domain: 'coffeecart.com.au',
    found: 1,
    status: 400,
    code: 'domain_invalid',
    refused: true,
  };
  assert.deepEqual(said, expected);
  console.log('ok   the generated Python classes compile, and a client on them runs');
}
