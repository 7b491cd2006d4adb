import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { CheckQuery, type CheckResult } from '../../api/check/check.dto.js';
import { CheckService } from '../../api/check/check.service.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import type { NameRule } from '../../domains/name/rules/name-rule.js';
import type { RegistryState } from '../../registry/registry-lookup.js';
import { RegisterResult } from './register-result.dto.js';
import { READ_ONLY, type Tool } from './tool.js';

@Injectable()
export class RegisterDomainTool implements Tool<CheckQuery, RegisterResult> {
  readonly name = 'register_domain';
  readonly title = 'Get the registration link';
  readonly description =
    'Checks that a .au name is available now and hands over register_url, the checkout of an accredited registrar for a person to complete; with it, who may hold a name of that suffix. Use it when the user has chosen a name. It buys nothing, registers nothing, holds nothing and sends no personal data. Costs 1 record, as a check does. For a name that cannot be had it says why and what to do next.';
  readonly arguments = CheckQuery;
  readonly results = [RegisterResult];
  readonly annotations = { ...READ_ONLY, openWorldHint: true };
  readonly costsRecords = true;

  constructor(private readonly check: CheckService) {}

  async run({ domain }: CheckQuery, caller: Caller): Promise<RegisterResult> {
    return handOff(await this.check.checkDomain(domain, caller, { afresh: true }));
  }
}

function handOff(checked: CheckResult): RegisterResult {
  const { ok, domain, tld, available, registrable, name_rule, register_url, registry, rate, quota } = checked;
  const name = parseDomainName(domain);
  return {
    ok,
    domain,
    tld,
    available,
    registrable,
    name_rule,
    registered_by_this_call: false,
    register_url,
    reason:
      registry.state === 'reserved'
        ? reasonOfReserve(name.reserved)
        : REASONS[registry.state] + doubtOf(name.rule),
    what_next: (registry.source === 'sandbox' ? SANDBOX_NOTICE : '') + WHAT_NEXT[registry.state],
    eligibility: checked.eligibility,
    registry,
    rate,
    ...(quota && { quota }),
  };
}

const REASONS: Record<Exclude<RegistryState, 'reserved'>, string> = {
  available: 'The registry says that the name can be registered now. Whoever registers first gets it.',
  registered: 'Somebody holds the name.',
  expired_hold: 'The registration has expired, but its holder can still renew it.',
  pending_purge: 'The name has expired and is about to be released; until then it belongs to its holder.',
  pending_delete: 'The name was deleted and may still be restored until it is released.',
  declined: 'The registry will not have the name.',
};

const FIND_ANOTHER =
  'Offer another name: suggest_domains with a part of it, or check_domain with the same label and another suffix.';
const COME_BACK =
  'It may become available: check_domain again in a few days, or offer another name (suggest_domains).';

const WHAT_NEXT: Record<RegistryState, string> = {
  available:
    'Give the user register_url and the eligibility rule. They complete the checkout there; do not say that the name is registered.',
  registered: FIND_ANOTHER,
  expired_hold: COME_BACK,
  pending_purge: COME_BACK,
  pending_delete: COME_BACK,
  reserved: FIND_ANOTHER,
  declined: FIND_ANOTHER,
};

// Before the ordinary words, not instead of them: whoever tries the demo should see what an agent is told.
const SANDBOX_NOTICE =
  'This is the demo with a made-up registry: show the user what the answer looks like, and do not act on it. With a real registry: ';

/** What speaks against the name, for a person to clear up before they pay. */
function doubtOf(rule: NameRule | null): string {
  return rule
    ? ` Mind that the label is special (${rule.reason}): it is ${rule.what}. Look into ${rule.source}.`
    : '';
}

function reasonOfReserve(reserved: NameRule | null): string {
  return `Nobody can register the name: ${reserved ? `it is ${reserved.what}` : 'the registry says that it is reserved'}.`;
}
