/**
 * A header, a query parameter, or a cookie of an event. `multiValue` contains all values if the request has more than
 * one.
 */
export interface ViewerField {
  value: string;
  multiValue?: { value: string }[];
}

export type ViewerFields = Record<string, ViewerField>;

/**
 * The fields of a viewer-request event that the functions read. CloudFront passes cookies in `cookies`, never in
 * `headers`.
 */
export interface ViewerRequestEvent {
  context: { requestId: string; distributionDomainName?: string };
  request: {
    method: string;
    uri: string;
    /** The query parameters as received, not decoded. */
    querystring: ViewerFields;
    headers: ViewerFields;
    cookies: ViewerFields;
  };
}

export type ViewerRequest = ViewerRequestEvent['request'];

export interface ViewerResponseEvent {
  response: { statusCode: number; headers: ViewerFields };
}

/** A response that a viewer function creates. CloudFront does not send the request to the origin. */
export interface OwnResponse {
  statusCode: number;
  statusDescription: string;
  headers: ViewerFields;
  body?: string;
}

/** The settings of a deployment. The build writes them into the source of each function. */
export interface ViewerSettings {
  /** The URL of the site, if the deployment has pages. */
  siteUrl?: string | undefined;
  /** The host whose subdomains are account names. */
  virtualHostBase?: string | undefined;
  /** Host names of the site, in addition to the distribution's own name. */
  siteHosts?: readonly string[];
}

/** Returns all values of a header, a query parameter, or a cookie. */
export function valuesOf(field: ViewerField): string[] {
  return field.multiValue ? field.multiValue.map((one) => one.value) : [field.value];
}

/** The CloudFront Functions in this folder, by file name. */
export interface ViewerFunctions {
  'exchange-request': (event: ViewerRequestEvent) => ViewerRequest;
  'health-request': (event: ViewerRequestEvent) => OwnResponse;
  'object-request': (event: ViewerRequestEvent) => ViewerRequest | OwnResponse;
  'object-response': (event: ViewerResponseEvent) => ViewerResponseEvent['response'];
  'page-request': (event: ViewerRequestEvent) => ViewerRequest | OwnResponse;
}

/**
 * Maps headers to copies of them. Clients sign Accept-Encoding and Range, but CloudFront may change these headers
 * before the origin-request function runs. The viewer-request function therefore copies the original values, and
 * removes copies that a client sent.
 */
export const viewerHeaderCopies = {
  'accept-encoding': 'x-sluice-viewer-accept-encoding',
  range: 'x-sluice-viewer-range',
} as const;

/** Headers that a viewer function cannot remove. */
export const fixedHeaders = ['cdn-loop', 'content-length', 'transfer-encoding', 'via'];

/**
 * Removes `x-sluice-` headers that a client sent. With them, a client could forge signed values or mark a response as
 * cacheable.
 */
export function dropOurHeaders(headers: ViewerFields): void {
  for (const name in headers) if (name.startsWith('x-sluice-')) delete headers[name];
}

/** Copies headers that clients sign and CloudFront may change. */
export function copyHeaders(request: ViewerRequest): ViewerRequest {
  for (const name in viewerHeaderCopies) {
    const field = request.headers[name];
    const copy = viewerHeaderCopies[name as keyof typeof viewerHeaderCopies];
    if (field) request.headers[copy] = { value: valuesOf(field).join(',') };
  }
  return request;
}
