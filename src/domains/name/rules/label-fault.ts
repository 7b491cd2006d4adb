import { LABEL_LENGTH } from '../../schema/domain.js';

/**
 * What breaks .au's rules for a label, as the rest of a sentence that starts with "domain", or null.
 * The rules are auDA's: 2 to 63 characters; letters, digits and hyphens; none of the hyphens first, last, or both in
 * places 3 and 4. Digits alone are allowed.
 *
 * @param label lower-case printable ASCII without a dot
 */
export function faultOfLabel(label: string): string | null {
  // One expression for the common case; the rest only finds the words.
  if (VALID_LABEL.test(label)) return null;
  if (label.length > MAX_LENGTH)
    return `has a label of ${label.length} characters; a .au label has ${MIN_LENGTH} to ${MAX_LENGTH}`;
  if (label.includes('_')) return `has an underscore in "${label}"; use letters, digits and hyphens`;
  if (label.startsWith('-')) return `has a hyphen at the start of "${label}"; start with a letter or digit`;
  if (label.endsWith('-')) return `has a hyphen at the end of "${label}"; end with a letter or digit`;
  if (label.length < MIN_LENGTH)
    return `has "${label}" as its label, one character; a .au label has ${MIN_LENGTH} to ${MAX_LENGTH}`;
  return `has hyphens in places 3 and 4 of "${label}"; .au bars them, and with them internationalised names (IDN, xn--)`;
}

const { min: MIN_LENGTH, max: MAX_LENGTH } = LABEL_LENGTH;
const VALID_LABEL = /^(?!..--)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;
