/**
 * Kinds of clients, by the User-Agent of a request. A visitor has one kind, because the User-Agent is a part of what
 * identifies a visitor.
 */
export const clientKinds = ['browsers', 'tools', 'ci', 'robots'] as const;
export type ClientKind = (typeof clientKinds)[number];
