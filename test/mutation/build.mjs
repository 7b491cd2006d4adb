// Compiles the sandbox that holds the mutants, as Jest's transform does for each file by itself.
import { transformFile } from '@swc/core';
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [[, options]] = Object.values(createRequire(import.meta.url)('../../jest.config.json').transform);
for (const folder of ['src', 'test']) {
  const sources = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.ts'));
  for (const path of sources) {
    const { code } = await transformFile(`${folder}/${path}`, { ...options, swcrc: false });
    writeFileSync(`${folder}/${path.slice(0, -'ts'.length)}js`, code);
  }
  writeFileSync(`${folder}/package.json`, '{"type":"commonjs"}');
}
