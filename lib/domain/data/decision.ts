/** Header fields by lower-case name. The values of a repeated field are joined with commas. */
export type HeaderFields = Readonly<Record<string, string>>;

/** An HTTP request at the edge, exactly as the client sent it. */
export interface EdgeRequest {
  /** The method in upper case. */
  method: string;
  /** The percent-encoded path as received, with its leading slash and without the query. */
  rawPath: string;
  /** The query as received, without `?`. Empty if there is none. */
  rawQuery: string;
  headers: HeaderFields;
  sourceIp: string;
  requestId: string;
  /**
   * The domain of the data proxy, from the platform's configuration. The client controls the Host header, so the proxy
   * does not trust that header.
   */
  distributionHost: string;
  /**
   * The part of the request body that the edge platform passes to the function. `truncated` is true if the body is
   * longer.
   */
  body: { bytes: Uint8Array; truncated: boolean };
}

export interface BufferedResponse {
  status: number;
  headers: HeaderFields;
  body: string;
}

/** A signed request to storage, with the bucket and key names of the storage. */
export interface StorageRequest {
  method: string;
  protocol: 'https' | 'http';
  host: string;
  port: number;
  /** The percent-encoded path, which must be sent without changes. */
  rawPath: string;
  /** The part of `rawPath` that names the bucket, without a final slash. Empty if the host names the bucket. */
  bucketPath: string;
  rawQuery: string;
  /** All header fields of the request, including `host` and `authorization`. */
  headers: HeaderFields;
  /**
   * True for storage that an account connected. Requests to it time out sooner than requests to storage of the
   * platform.
   */
  isOfAccount?: boolean;
  /** The data connection of the request. Its owner sees a report of failures of the storage. */
  data_connection_id?: string;
}

/**
 * Decodes a request body while the proxy forwards it. Only an adapter that streams the body can decode it. Other
 * adapters must refuse the request.
 */
export interface BodyDecoding {
  /** Length of the decoded body. Undefined if the request to storage has no Content-Length. */
  lengthBytes: number | undefined;
  /** Decodes the body. Throws if the body does not match its signature. The adapter must then abort the request. */
  decode(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/**
 * The decision about a request: *respond* with this response, *forward* the request to storage, or *relay* it. A relay
 * sends the request to storage and rewrites the small XML response.
 */
export type Decision =
  | { kind: 'respond'; answer: BufferedResponse }
  | { kind: 'forward'; request: StorageRequest; decoding?: BodyDecoding }
  | {
      kind: 'relay';
      request: StorageRequest;
      /** The body that storage gets instead of the client's body. */
      body: Uint8Array;
      rewrite: (answer: BufferedResponse) => BufferedResponse;
      /**
       * Returns a further decision that depends on the storage's response. If it returns undefined, the client gets the
       * rewritten response.
       */
      next?: (answer: BufferedResponse) => Decision | undefined;
    };
