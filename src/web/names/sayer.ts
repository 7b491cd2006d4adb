import { voucherOf } from '../../domains/lifecycle/listings/listing.js';

const SOURCES: Readonly<Record<string, string>> = {
  rdap: 'the registry (RDAP)',
  availability_service: 'the registry (availability service)',
  sandbox: 'the sandbox (made up)',
  [voucherOf('sandbox')]: 'the sandbox (made up)',
  reserved_names: 'the list of reserved names',
};

/** Whose word it is, as people say it. @param source as `confirmed_by` has it */
export function sayerInWords(source: string): string {
  return SOURCES[source] ?? source.replace(/^vouched:/, '');
}
