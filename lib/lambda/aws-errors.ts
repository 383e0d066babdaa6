/**
 * Returns true if the error comes from AWS: a refusal, a network failure, or missing credentials. The log of an AWS
 * error needs no stack trace.
 */
export function isOfAws(error: unknown): error is Error {
  return (
    error instanceof Error && ('$metadata' in error || 'hostname' in error || error.name === 'CredentialsProviderError')
  );
}
