import { MCP_IDENTITY, MCP_INSTRUCTIONS, QUOTA_RULE } from './mcp-identity.js';

describe('what the tool server says of itself', () => {
  it('fits what server.json and the server card allow', () => {
    expect(MCP_IDENTITY.description.length).toBeLessThanOrEqual(100);
    expect(MCP_IDENTITY.title.length).toBeLessThanOrEqual(100);
  });

  it('is short: every agent pays for the instructions', () => {
    expect(`${MCP_INSTRUCTIONS}\n${QUOTA_RULE}`.length).toBeLessThan(800);
  });
});
