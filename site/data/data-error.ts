/**
 * The reason why a data request failed; the page shows it and decides by it:
 * - `offline`: no response arrived, because the connection is down or an intermediary refuses it
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
  /** The code of S3 or of the problem document; empty if the response had none. */
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
