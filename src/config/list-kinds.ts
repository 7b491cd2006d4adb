/** The two parts of the official drop list: names deleted by their holder or by policy, or expired. */
export const LIST_KINDS = ['deleted', 'expired'] as const;
export type ListKind = (typeof LIST_KINDS)[number];
