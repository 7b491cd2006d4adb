import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MCP_IDENTITY, MCP_INSTRUCTIONS } from './mcp-identity.js';

describe('what the tool server says of itself', () => {
  it('has the version of package.json', () => {
    const text = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ name: MCP_IDENTITY.name, version: MCP_IDENTITY.version });
  });

  it('fits what server.json and the server card allow', () => {
    expect(MCP_IDENTITY.description.length).toBeLessThanOrEqual(100);
    expect(MCP_IDENTITY.title.length).toBeLessThanOrEqual(100);
  });

  it('is short: every agent pays for the instructions', () => {
    expect(MCP_INSTRUCTIONS.length).toBeLessThan(800);
  });
});
