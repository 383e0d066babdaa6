/**
 * Why a request for data did not do what it should, as the page tells and handles it:
 * - `offline`: no answer came; the connection is gone, or something on the way refuses it
 * - `signed_out`: the session of the person has ended
 * - `refused`: the person may not do this here (any more)
 * - `exists`: something is there already under that name
 * - `absent`: the object, or the upload, is not there (any more)
 * - `changed`: the object is another one by now
 * - `broken`: bytes arrived otherwise than they were sent
 * - `busy`: the service could not do it even after several tries
 * - `failed`: everything else; the sentence of the answer says what
 */
export type DataErrorKind =
  | 'offline'
  | 'signed_out'
  | 'refused'
  | 'exists'
  | 'absent'
  | 'changed'
  | 'broken'
  | 'busy'
  | 'failed';

export class DataError extends Error {
  readonly kind: DataErrorKind;
  /** S3's, or that of the problem document; empty where the answer had none. */
  readonly code: string;
  readonly status: number | undefined;

  constructor(kind: DataErrorKind, message: string, { code = '', status, cause }: DataErrorDetails = {}) {
    super(message, { cause });
    this.name = 'DataError';
    this.kind = kind;
    this.code = code;
    this.status = status;
  }
}

interface DataErrorDetails {
  code?: string | undefined;
  status?: number | undefined;
  cause?: unknown;
}

export function isDataError(error: unknown, ...kinds: DataErrorKind[]): error is DataError {
  return error instanceof DataError && (kinds.length === 0 || kinds.includes(error.kind));
}
