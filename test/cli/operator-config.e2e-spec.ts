import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_DATA_DIR } from '../../src/config/product.js';
import { readOperatorConfig } from '../../src/ops/local/database.js';
import { makeFolder } from '../support/processes.js';

describe('the configuration of a command', () => {
  const folder = process.cwd();
  beforeEach(async () => process.chdir(await makeFolder('operator')));
  afterEach(() => process.chdir(folder));

  it('is that of the environment', async () => {
    expect((await readOperatorConfig()).archive.cdxUrl).toContain('web.archive.org');
  });

  it('beside a running demo is the demo, whose made-up names nobody asks the real archive about', async () => {
    const data = join(DEMO_DATA_DIR, 'postgres', 'data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'postmaster.pid'), '1');
    const config = await readOperatorConfig();
    expect(config.database.dataDir).toBe(join(process.cwd(), DEMO_DATA_DIR));
    expect(config.archive.cdxUrl).toBeUndefined();
  });
});
