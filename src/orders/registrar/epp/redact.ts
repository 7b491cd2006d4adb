/**
 * Elements whose content is a secret or personal: evidence keeps ids, numbers, days and codes. A refusal repeats the
 * refused element as `value`.
 */
const REDACTED = [
  ...['pw', 'newPW', 'postalInfo', 'voice', 'fax', 'email', 'registrantName', 'eligibilityName', 'value'],
];

const CONTENT = new RegExp(
  `<((?:[\\w.-]+:)?(?:${REDACTED.join('|')}))(\\s[^<>]*)?>[\\s\\S]*?(?:</\\1\\s*>|$)`,
  'g',
);

/** A frame without passwords and personal details. */
export function redactFrame(frame: string): string {
  return frame.replace(CONTENT, '<$1>…</$1>');
}
