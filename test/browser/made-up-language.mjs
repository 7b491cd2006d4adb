// Node's loader of modules, for a service whose texts are in the made-up language (test/support), which stands where the
// bundle says that texts are English. `node --import ./test/browser/made-up-language.mjs dist/demo.js`
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

const MADE_UP = new URL('../support/made-up-language.ts', import.meta.url);
const CHUNKS = new URL('../../dist/chunks/', import.meta.url);
const ENGLISH = /var (t\d*) = (en\d*);/;

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (url === MADE_UP.href) {
    const { code } = await transform(await readFile(MADE_UP, 'utf8'), { loader: 'ts', format: 'esm' });
    return { format: 'module', source: code, shortCircuit: true };
  }
  const loaded = await next(url, context);
  if (!url.startsWith(CHUNKS.href)) return loaded;
  const text = String(loaded.source);
  if (!ENGLISH.test(text)) return loaded;
  const source = text.replace(ENGLISH, 'var $1 = madeUpFrom($2);');
  return { ...loaded, source: `import { madeUpFrom } from '${MADE_UP.href}';\n${source}` };
}
