/**
 * The mailbox that an address leads to, as far as one can tell: what follows a plus names no other mailbox, and many providers see no dots. Two people whose
 * addresses differ in dots alone share a limit, and nothing else.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [box = ''] = email.slice(0, at).toLowerCase().split('+');
  return `${box.replaceAll('.', '')}${email.slice(at).toLowerCase()}`;
}
