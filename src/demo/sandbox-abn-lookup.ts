import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

/** An entry, as ABN Lookup names its fields. */
export interface SandboxEntry {
  readonly Abn: string;
  readonly Acn: string;
  readonly AbnStatus: 'Active' | 'Cancelled';
  readonly EntityName: string;
  readonly EntityTypeCode: string;
  readonly BusinessName: readonly string[];
}

/** Made up, with numbers whose check digits are right. */
export const SANDBOX_ENTRIES: readonly SandboxEntry[] = [
  entry('53004085616', '004085616', 'Coffee Cart Pty Ltd', 'PRV', ['Slow Coffee']),
  entry('38079009340', '079009340', 'Old Mill Bakery Pty Ltd', 'PRV', []),
  entry('51824753556', '', 'Kiama Surf Club Incorporated', 'OIE', []),
];

export interface SandboxAbnLookup {
  /** What ABN_LOOKUP_URL takes. */
  readonly url: string;
  readonly guid: string;
  /** Numbers, as they were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const GUID = 'sandbox-guid';
const FOUND_BY: Readonly<Record<string, 'Abn' | 'Acn'>> = {
  '/json/AbnDetails.aspx': 'Abn',
  '/json/AcnDetails.aspx': 'Acn',
};

/** ABN Lookup, made up: its answers are functions' calls, as those of the real service. @param port 0: a free one */
export async function startSandboxAbnLookup(
  port: number,
  entries: readonly SandboxEntry[] = SANDBOX_ENTRIES,
): Promise<SandboxAbnLookup> {
  const asked: string[] = [];
  const server = await serveOnLoopback(port, ({ url = '' }, response) => {
    response.sendDate = false;
    const { pathname, searchParams } = new URL(url, 'http://sandbox');
    const field = FOUND_BY[pathname];
    if (!field || searchParams.get('guid') !== GUID) return response.writeHead(404).end();
    const digits = searchParams.get(field.toLowerCase());
    asked.push(digits ?? '');
    const found = entries.find((one) => one[field] !== '' && one[field] === digits);
    const answer = found ? { ...found, Message: '' } : { Abn: '', Message: 'No record found' };
    response.setHeader('Content-Type', 'application/javascript');
    return response.end(`${searchParams.get('callback') ?? 'callback'}(${JSON.stringify(answer)})`);
  });
  return { url: `http://${SANDBOX_HOST}:${server.port}/json/`, guid: GUID, asked, close: server.close };
}

function entry(
  Abn: string,
  Acn: string,
  EntityName: string,
  EntityTypeCode: string,
  BusinessName: readonly string[],
): SandboxEntry {
  return { Abn, Acn, AbnStatus: 'Active', EntityName, EntityTypeCode, BusinessName };
}
