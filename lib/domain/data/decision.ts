/** Header fields by lower-case name. Repeated fields are joined with a comma before they get here. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An HTTP request as the edge hands it to the rules: nothing in it is decoded or normalised. */
export interface EdgeRequest {
  /** Upper case. */
  method: string;
  /** The percent-encoded path as it came, with its leading slash, without query. */
  rawPath: string;
  /** The query as it came, without `?`; empty for none. */
  rawQuery: string;
  headers: HeaderFields;
  sourceIp: string;
  requestId: string;
  /** The name clients reach this proxy under as the platform knows it (never the Host header), without scheme. */
  distributionHost: string;
  /** The body as far as the platform included it; `truncated` when there was more than it would include. */
  body: { bytes: Uint8Array; truncated: boolean };
}

export interface BufferedResponse {
  status: number;
  headers: HeaderFields;
  body: string;
}

/** A request to storage, ready to send: signed, every name in it the storage's. */
export interface StorageRequest {
  method: string;
  protocol: 'https' | 'http';
  host: string;
  port: number;
  /** Percent-encoded, to be sent exactly so. */
  rawPath: string;
  /** What of the path names the bucket; empty where the host does. No slash at its end. */
  bucketPath: string;
  rawQuery: string;
  /** All header fields to send, `host` and `authorization` among them. */
  headers: HeaderFields;
}

/** How a forwarded body is changed on its way. Only an adapter that holds the stream can do it; others must refuse. */
export interface BodyDecoding {
  /** Of the decoded body; undefined for one that is sent without a length. */
  lengthBytes: number | undefined;
  /** Throws ServiceError for a body that is not what was signed: what was sent until then must not be ended. */
  decode(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/**
 * What is to be done with a request. *respond* with this; *forward*: let the platform stream the request's own body to
 * storage and the answer back; *relay*: fetch a small XML answer from storage and show it rewritten.
 */
export type Decision =
  | { kind: 'respond'; answer: BufferedResponse }
  | { kind: 'forward'; request: StorageRequest; decoding?: BodyDecoding }
  | {
      kind: 'relay';
      request: StorageRequest;
      /** Sent to storage in place of the request's own body. */
      body: Uint8Array;
      rewrite: (answer: BufferedResponse) => BufferedResponse;
      /** What the storage's answer calls for before anything is shown; undefined where it is to be shown rewritten. */
      next?: (answer: BufferedResponse) => Decision | undefined;
    };
