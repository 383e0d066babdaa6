/** Header fields by lower-case name. Repeated fields are already joined with a comma. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An HTTP request at the edge. No part of it is decoded or normalized. */
export interface EdgeRequest {
  /** In upper case. */
  method: string;
  /** The percent-encoded path as received, with its leading slash and without the query. */
  rawPath: string;
  /** The query as received, without `?`. Empty if there is none. */
  rawQuery: string;
  headers: HeaderFields;
  sourceIp: string;
  requestId: string;
  /** The domain of this proxy, as the platform knows it, not from the Host header, which the client controls. */
  distributionHost: string;
  /** The part of the body that the platform included. `truncated` is true if the body is longer. */
  body: { bytes: Uint8Array; truncated: boolean };
}

export interface BufferedResponse {
  status: number;
  headers: HeaderFields;
  body: string;
}

/** A signed request to storage, with the names of the storage. */
export interface StorageRequest {
  method: string;
  protocol: 'https' | 'http';
  host: string;
  port: number;
  /** Percent-encoded, and sent without changes. */
  rawPath: string;
  /** The part of the path that names the bucket, without a final slash. Empty if the host names the bucket. */
  bucketPath: string;
  rawQuery: string;
  /** All header fields to send, including `host` and `authorization`. */
  headers: HeaderFields;
}

/** A transformation of a forwarded body. Only an adapter that holds the stream can apply it; others must refuse. */
export interface BodyDecoding {
  /** Length of the decoded body; undefined if it is sent without a length. */
  lengthBytes: number | undefined;
  /** Decodes the body. Throws if it differs from the signed body. The adapter must then abort the request. */
  decode(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** The decision about a request: *respond* with this answer, *forward* it to storage, or *relay* a small XML answer. */
export type Decision =
  | { kind: 'respond'; answer: BufferedResponse }
  | { kind: 'forward'; request: StorageRequest; decoding?: BodyDecoding }
  | {
      kind: 'relay';
      request: StorageRequest;
      /** Sent to storage instead of the request's own body. */
      body: Uint8Array;
      rewrite: (answer: BufferedResponse) => BufferedResponse;
      /** Returns a further decision that the storage's answer requires, or undefined to send the rewritten answer. */
      next?: (answer: BufferedResponse) => Decision | undefined;
    };
