import { createHash } from 'node:crypto';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { FindSiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { formatEntityTag, matchesWeakly, parseTagCondition } from '../../domain/entity-tags.ts';
import { type ApiHandler, createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import { refuseUnknownRoute } from '../../http/targets.ts';
import { type HtmlPage, htmlType } from '../../operations/html-page.ts';
import type { Operation } from '../../operations/operation.ts';
import { answerUnknownRoute } from '../../operations/unknown-route.ts';
import { problemPage } from '../../pages/site/problem.tsx';
import { readEnvironment, readSiteClientId } from '../environment.ts';
import { createDeployedPageServices, type PageServices } from '../site/page-services.ts';
import { createDeployedSiteSignIn } from '../site/site-sign-in.ts';
import { withCacheHeaders } from './cached-pages.ts';
import { type LazyFunction, lazyFunction } from './lazy-function.ts';

export type PageFunctionOf<Services> = LazyFunction<Services, Parameters<ApiHandler>, Awaited<ReturnType<ApiHandler>>>;

/** Creates the Lambda of a page. */
export function pageFunction<Op extends Operation>(
  operation: Op,
  run: Run<Op, PageServices>,
): PageFunctionOf<PageServices> {
  return pageFunctionWith(createDeployedPageServices, operation, run);
}

export interface SignInPageServices extends PageServices {
  findSiteSignIn: FindSiteSignIn;
}

/**
 * Creates the Lambda of a page with sign-in. The field `signsIn` of its operation gives the function the permission to
 * read the OIDC client.
 */
export function signInPageFunction<Op extends Operation & { signsIn: true }>(
  operation: Op,
  run: Run<Op, SignInPageServices>,
): PageFunctionOf<SignInPageServices> {
  return pageFunctionWith(createSignInPageServices, operation, run);
}

async function createSignInPageServices(): Promise<SignInPageServices> {
  const services = await createDeployedPageServices();
  const findSiteSignIn = createDeployedSiteSignIn(readEnvironment(), readSiteClientId(), services);
  return { ...services, findSiteSignIn };
}

/** Creates the Lambda of a page that needs services besides `PageServices`. */
export function pageFunctionWith<Op extends Operation, Services extends PageServices>(
  createServices: () => Promise<Services>,
  operation: Op,
  run: Run<Op, Services>,
): PageFunctionOf<Services> {
  return lazyFunction((services: Services) => createPageHandler(operation, run, services), createServices);
}

/** Creates the handler of a page. It shows errors of the pipeline as HTML pages, which do not reveal private data. */
function createPageHandler<Op extends Operation, Services extends PageServices>(
  operation: Op,
  run: Run<Op, Services>,
  services: Services,
): ApiHandler {
  const showPage = withPageAnswers(createApiHandler(operation, withCaching(operation, run), services), services);
  const refuse = createApiHandler(answerUnknownRoute, refuseUnknownRoute, services);
  // An API path that does not exist gets a problem document, because programs request such paths. No account has the
  // name `api`.
  return (event, context) => (/^\/api(?:\/|$)/.test(event.rawPath) ? refuse : showPage)(event, context);
}

/** Adds cache headers to a page. Errors and redirects are never cached. */
function withCaching<Op extends Operation, Services extends PageServices>(
  operation: Op,
  run: Run<Op, Services>,
): Run<Op, Services> {
  const cachedRun = async (context: Parameters<typeof run>[0]): Promise<HtmlPage> => {
    const page = (await run(context)) as HtmlPage;
    if (page.status !== undefined) return { ...page, headers: { ...page.headers, 'cache-control': 'no-store' } };
    const { repository } = context.target as { repository?: RepositoryRecord };
    const { openDataCacheSeconds, clock } = context.services;
    return withCacheHeaders(page, {
      isCacheable: operation.isCacheable === true,
      openDataCacheSeconds,
      repository,
      now: clock(),
    });
  };
  return cachedRun as Run<Op, Services>;
}

function withPageAnswers(
  handle: ApiHandler,
  { site, dataProxy }: Pick<PageServices, 'site' | 'dataProxy'>,
): ApiHandler {
  return async (event, context) => {
    const answer = await handle(event, context);
    const { statusCode = 200 } = answer;
    // Return the page that the operation itself rendered for an error, for example about data that the visitor may not
    // see.
    if (statusCode >= 400 && answer.headers?.['content-type'] === htmlType) return answer;
    if (statusCode >= 400) return refusal(isPathFault(answer, event.pathParameters) ? 404 : statusCode);
    return statusCode === 200 ? withETag(answer, event.headers['if-none-match']) : answer;
  };

  function refusal(problemStatus: number): APIGatewayProxyStructuredResultV2 {
    // Show the same page for private data as for missing data.
    const status = problemStatus === 401 || problemStatus === 403 ? 404 : problemStatus;
    const { html, headers } = problemPage(status, site(), dataProxy().url);
    return {
      statusCode: status,
      headers: { 'content-type': htmlType, 'cache-control': 'no-store', ...headers },
      body: html,
    };
  }
}

/**
 * Returns true if a path parameter has an invalid form. No account or repository can have an ID of this form, so the
 * response is 404.
 */
function isPathFault(
  { body = '{}' }: APIGatewayProxyStructuredResultV2,
  parameters: Record<string, unknown> = {},
): boolean {
  const { errors = [] } = JSON.parse(body) as { errors?: { path: string }[] };
  return errors.some(({ path }) => path in parameters);
}

/** Adds an ETag to a page, which is a hash of the body. Returns 304 if the client's ETag matches. */
function withETag(
  { body = '', headers, ...answer }: APIGatewayProxyStructuredResultV2,
  known: string | undefined,
): APIGatewayProxyStructuredResultV2 {
  const text = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const etag = formatEntityTag(text);
  const headersOfPage = { ...headers, etag };
  const condition = known === undefined ? undefined : parseTagCondition(known);
  const isKnown = condition !== undefined && matchesWeakly(condition, (given) => given === text);
  return isKnown ? { statusCode: 304, headers: headersOfPage } : { ...answer, headers: headersOfPage, body };
}
