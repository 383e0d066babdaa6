/**
 * Kinds of clients, by the User-Agent of a request. Every visitor has exactly one kind, because a visitor is identified
 * by IP address and User-Agent.
 */
export const clientKinds = ['browsers', 'tools', 'ci', 'robots'] as const;
export type ClientKind = (typeof clientKinds)[number];
