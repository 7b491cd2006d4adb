import type { DomainName } from '../domains/name/domain-name.js';
import { type RegistrabilityDto, toRegistrabilityDto } from '../domains/name/registrability.dto.js';
import type { RegistryAnswer } from './registry-lookup.js';

/** A registry that keeps a name back has the word, also where our data know nothing of it. */
export function answeredRegistrability(name: DomainName, { state }: RegistryAnswer): RegistrabilityDto {
  const judged = toRegistrabilityDto(name, state === 'available');
  return state === 'reserved' ? { ...judged, reason: judged.reason ?? 'reserved' } : judged;
}
