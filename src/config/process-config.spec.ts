import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSecretFiles } from './process-config.js';

describe('withSecretFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
  const file = join(folder, 'database_url');
  beforeAll(() => writeFileSync(file, 'postgres://ada:s3cret@database/bowerbird\n'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads a secret from its file, without the line ending', () => {
    expect(withSecretFiles({ DATABASE_URL_FILE: file }).DATABASE_URL).toBe(
      'postgres://ada:s3cret@database/bowerbird',
    );
  });

  it('leaves what is given as it is', () => {
    expect(withSecretFiles({ AUTH_SECRET: 'given', PORT: '3000' })).toEqual({
      AUTH_SECRET: 'given',
      PORT: '3000',
    });
  });

  it('refuses a secret that is given twice, without repeating it', () => {
    const twice = () => withSecretFiles({ DATABASE_URL: 'postgres://b:hidden@c/d', DATABASE_URL_FILE: file });
    expect(twice).toThrow('DATABASE_URL and DATABASE_URL_FILE exclude each other');
    expect(twice).not.toThrow(/hidden|s3cret/);
  });

  it('names the variable whose file is not there', () => {
    expect(() => withSecretFiles({ SMTP_URL_FILE: join(folder, 'none') })).toThrow(
      /^SMTP_URL_FILE cannot be read \(.*ENOENT/,
    );
  });

  it('reads no other variable from a file', () => {
    expect(withSecretFiles({ PORT_FILE: file })).toEqual({ PORT_FILE: file });
  });
});
