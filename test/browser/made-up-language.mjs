// Node's loader of modules, for a service whose texts are in the made-up language (test/support): its catalogue stands in
// the place of the English one. `node --import ./test/browser/made-up-language.mjs dist/src/demo.js`
import { readFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { register } from 'node:module';
import { transform } from 'esbuild';

const MADE_UP = new URL('../support/made-up-language.ts', import.meta.url);
const ENGLISH = /\/dist\/src\/texts\/en\/en\.js$/;

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (url === MADE_UP.href) {
    const { code } = await transform(await readFile(MADE_UP, 'utf8'), { loader: 'ts', format: 'esm' });
    return { format: 'module', source: code, shortCircuit: true };
  }
  if (!ENGLISH.test(url)) return next(url, context);
  const source = `import { en as texts } from '${url}?english';
import { madeUpFrom } from '${MADE_UP.href}';
export const en = madeUpFrom(texts);`;
  return { format: 'module', source, shortCircuit: true };
}
