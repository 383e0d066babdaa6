/** Refused by AWS, not reached, or without credentials; not a fault of ours, whose stack is worth seeing. */
export function isOfAws(error: unknown): error is Error {
  return (
    error instanceof Error && ('$metadata' in error || 'hostname' in error || error.name === 'CredentialsProviderError')
  );
}
