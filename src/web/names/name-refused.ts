import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import { ApiError } from '../../errors/api-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';

/** A text that is no name, and the name that can be looked at instead, where it holds one. */
export class NameRefused extends ApiError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly registrable: string | null,
  ) {
    super(code, message);
  }
}

/** @throws {NameRefused} */
export function readName(text: string): DomainName {
  const judgement = judgeDomainName(text);
  if (!judgement.ok) throw new NameRefused(judgement.code, judgement.message, judgement.registrable);
  return judgement.domain;
}
