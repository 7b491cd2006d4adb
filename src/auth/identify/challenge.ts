/** The header that a 401 must carry (RFC 9110, 15.5.2; RFC 6750, 3). */
export function challenge(problem?: 'invalid_token'): { 'WWW-Authenticate': string } {
  const realm = 'Bearer realm="bowerbird"';
  return { 'WWW-Authenticate': problem ? `${realm}, error="${problem}"` : realm };
}
