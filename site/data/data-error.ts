/**
 * The reason why a data request failed. The page shows a message for it and decides what to do next:
 *
 * - `offline`: no response arrived, because there is no connection or a proxy blocks the request
 * - `signed_out`: the user's session has ended
 * - `refused`: the user has no permission, or no longer has it
 * - `exists`: an object with this name already exists
 * - `absent`: the object or the upload does not exist (any more)
 * - `changed`: the object has changed
 * - `broken`: bytes were damaged in transit
 * - `busy`: the service failed after several attempts
 * - `failed`: any other error; the message of the response explains it
 */
export type DataErrorKind =
  | ('offline' | 'signed_out' | 'refused' | 'exists' | 'absent')
  | ('changed' | 'broken' | 'busy' | 'failed');

export class DataError extends Error {
  override readonly name = 'DataError';
  readonly kind: DataErrorKind;
  /** The error code of S3, or the `code` of the problem document. Empty if the response had no code. */
  readonly code: string;
  readonly status: number | undefined;

  constructor(
    kind: DataErrorKind,
    message: string,
    { code = '', status, cause }: { code?: string | undefined; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
    this.status = status;
  }
}

export function isDataError<Kind extends DataErrorKind>(
  error: unknown,
  ...kinds: Kind[]
): error is DataError & { kind: Kind } {
  return error instanceof DataError && (kinds.length === 0 || (kinds as DataErrorKind[]).includes(error.kind));
}
