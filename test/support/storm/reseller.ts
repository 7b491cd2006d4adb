import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { SANDBOX_CLIENT } from '../../../src/demo/sandbox-registrar.js';
import {
  type Members,
  type ResellerFault,
  type ResellerName,
  startSandboxReseller,
} from '../../../src/demo/sandbox-reseller.js';
import { isObject } from '../../../src/validation/unknown-values.js';
import { chance, decideLater, faultIn, MAX_LATE_MS, RESELLER_SUFFIX, type StormFault } from './faults.js';
import type { RecordLine } from './registrar.js';

// The sandbox of the reseller API as a process of its own, which tests kill: `reseller.js PORT RECORD`. What it has
// executed is a line of RECORD before it replies, and the next one reads it.
const [, , port = '', record = ''] = process.argv;

/** Lines that only this program reads stand beside those of every registrar. */
type Line =
  | { readonly is: 'row'; readonly of: 'names'; readonly key: string; readonly row: ResellerName }
  | {
      readonly is: 'row';
      readonly of: 'customers' | 'registrants';
      readonly key: number;
      readonly row: Members;
    }
  | { readonly is: 'request'; readonly id: string }
  | { readonly is: 'name'; readonly domain: string; readonly name: object }
  | { readonly is: 'gone' | 'fault'; readonly domain: string }
  | { readonly is: 'up' };

const write = (line: Line) => appendFileSync(record, `${JSON.stringify({ at: Date.now(), ...line })}\n`);

class RecordedRows extends Map<number, Members> {
  constructor(private readonly of: 'customers' | 'registrants') {
    super();
  }

  override set(key: number, row: Members): this {
    if (isRead) write({ is: 'row', of: this.of, key, row });
    return super.set(key, row);
  }
}

class RecordedNames extends Map<string, ResellerName> {
  override set(domain: string, row: ResellerName): this {
    if (isRead) {
      write({ is: 'row', of: 'names', key: domain, row });
      write({ is: 'name', domain, name: described(row) });
    }
    return super.set(domain, row);
  }

  override delete(domain: string): boolean {
    if (isRead) write({ is: 'gone', domain });
    return super.delete(domain);
  }
}

class RecordedRequests extends Set<string> {
  override add(id: string): this {
    if (isRead) write({ is: 'request', id });
    return super.add(id);
  }
}

let isRead = false;
const names = new RecordedNames();
const [customers, registrants] = [new RecordedRows('customers'), new RecordedRows('registrants')];
const requestIds = new RecordedRequests();
/** Names whose fault has happened. */
const done = new Set<string>();
for (const text of existsSync(record) ? readFileSync(record, 'utf8').split('\n') : []) {
  if (!text.endsWith('}')) continue;
  const line = JSON.parse(text) as Line;
  if (line.is === 'row' && line.of === 'names') names.set(line.key, dated(line.row));
  else if (line.is === 'row') (line.of === 'customers' ? customers : registrants).set(line.key, line.row);
  else if (line.is === 'request') requestIds.add(line.id);
  else if (line.is === 'gone') names.delete(line.domain);
  else if (line.is === 'fault') done.add(line.domain);
}
isRead = true;

function dated(row: ResellerName): ResellerName {
  return { ...row, startedAt: new Date(row.startedAt), expiresAt: new Date(row.expiresAt) };
}

/** As the record of every registrar describes a name. */
function described({
  id,
  eligibility,
  status,
}: ResellerName): Partial<Extract<RecordLine, { is: 'name' }>['name']> {
  const fields = (Array.isArray(eligibility) ? eligibility : []).filter(isObject);
  const holder = fields.find(({ name }) => name === 'business_name')?.value;
  return {
    ...{ client: SANDBOX_CLIENT, registrantName: String(holder) },
    ...{ isPending: status === AWAITING, clTRID: String(id) },
  };
}

const AWAITING = 1;
const PRICE = 21.8;
const FUNDS = 100_000_000;
/** Within it a killed process has sent what it had written. */
const SENT_MS = 20;

const die = () => process.kill(process.pid, 'SIGKILL');
/** The fault of the creation that is executed now. */
let now: StormFault | null = null;

const sandbox = await startSandboxReseller({
  port: Number(port),
  records: { names, customers, registrants, requestIds },
  faultOf: (domain) => {
    now = done.has(domain) ? null : faultIn(domain);
    if (now === null) return undefined;
    done.add(domain);
    write({ is: 'fault', domain });
    return faults[now]?.(domain);
  },
  onRegistered: () => {
    if (now === 'diesduring') die();
    if (now === 'diesafter') setTimeout(die, SENT_MS);
  },
});
sandbox.balance = FUNDS;
sandbox.prices.set(RESELLER_SUFFIX, { register: PRICE, renew: PRICE });

/** The others are of EPP alone. */
const faults: Partial<Record<StormFault, (domain: string) => ResellerFault>> = {
  lost: () => 'cut_before',
  failed: () => 500,
  diesbefore: () => (die(), 'cut_before'),
  halved: () => 'page_after',
  unsaid: () => 'cut_after',
  late: () => (setTimeout(() => sandbox.sendLate(), chance(String(Date.now())) * MAX_LATE_MS), 'late'),
  split: () => 'twice',
  merged: () => 'error_after',
  pendingdone: (domain) => decideLater(sandbox, domain),
  pendingrefused: (domain) => decideLater(sandbox, domain),
  busy: () => 'throttled',
  policy: () => 400,
};

for (const [domain, { status }] of names) if (status === AWAITING) decideLater(sandbox, domain);
// The sandbox alone keeps no process alive.
setInterval(() => undefined, 1_000);
write({ is: 'up' });
process.stdout.write('registrar is up\n');
