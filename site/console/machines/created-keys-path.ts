/** Returns the path of the view that lists the keys which a user created in an account. */
export function createdKeysPath(account_id: string, creator: string): string {
  return `/accounts/${account_id}/api-keys?made_by=${encodeURIComponent(creator)}`;
}
