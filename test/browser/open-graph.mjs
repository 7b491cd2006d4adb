// Draws the picture that is shown where a page is shared, assets/open-graph.png, once: 1200 by 630, straw and satin blue.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './visits.mjs';

const ASSETS = resolve(fileURLToPath(import.meta.url), '../../../assets');
const PICTURE = resolve(ASSETS, 'open-graph.png');
const MARK_FILE = await readFile(resolve(ASSETS, 'mark.svg'), 'utf8');
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: 'light' });
await page.setContent(`<!doctype html><style>
body{margin:0;height:630px;box-sizing:border-box;padding:90px;background:#f6efd9;color:#161a2e;font:34px/1.35 system-ui,sans-serif;display:grid;align-content:space-between}
.brand{display:flex;gap:26px;align-items:center;font-size:50px;font-weight:750;letter-spacing:-.02em}.brand svg{width:92px;height:92px}
h1{font-size:86px;line-height:1.05;letter-spacing:-.03em;margin:0;max-width:1000px}p{margin:0;color:#565b72}
</style><div class="brand">${MARK_FILE}Bowerbird</div><h1>Good .au names that somebody let go</h1><p>Ranked by the web archive, asked of the registry before they are offered.</p>`);
await page.screenshot({ path: PICTURE });
await browser.close();
