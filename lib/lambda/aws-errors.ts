/** Returns true for a refusal by AWS, a network failure, or missing credentials. Such errors need no stack trace. */
export function isOfAws(error: unknown): error is Error {
  return (
    error instanceof Error && ('$metadata' in error || 'hostname' in error || error.name === 'CredentialsProviderError')
  );
}
