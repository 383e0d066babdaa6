export interface GatewayRoute {
  /** The HTTP method in upper case, or `ANY`. */
  method: string;
  /**
   * The path with parameters. `{name}` matches one non-empty segment, and `{name+}` at the end matches one or more.
   * `$default` matches requests for which there is no other route.
   */
  path: string;
  name: string;
}

export interface RouteMatch {
  route: GatewayRoute;
  /** The path parameters, percent-encoded as received. */
  parameters: Record<string, string>;
}

export type RouteFinder = (method: string, rawPath: string) => RouteMatch | undefined;

/**
 * Compiles routes to a function that finds the route of a request. If several routes match, it takes the most specific
 * one, in any order of the routes. The first segment in which two routes differ decides.
 */
export function compileRoutes(routes: readonly GatewayRoute[]): RouteFinder {
  const fallback = routes.find(({ path }) => path === '$default');
  // Routes that end in `{name+}` are tried last. Among them, the longest is tried first.
  const greedy = routes
    .filter(({ path }) => path.endsWith('+}'))
    .map((route) => ({ route, prefix: route.path.slice(0, route.path.lastIndexOf('{')) }))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const byLength = Map.groupBy(
    routes
      .filter((route) => route !== fallback && !route.path.endsWith('+}'))
      .map((route) => ({ route, segments: route.path.split('/') })),
    ({ segments }) => segments.length,
  );
  for (const candidates of byLength.values()) candidates.sort((a, b) => compareSegments(a.segments, b.segments));

  return (method, rawPath) => {
    const segments = rawPath.split('/');
    for (const { route, segments: pattern } of byLength.get(segments.length) ?? []) {
      if (route.method !== method && route.method !== 'ANY') continue;
      const parameters = matchSegments(pattern, segments);
      if (parameters !== undefined) return { route, parameters };
    }
    for (const { route, prefix } of greedy) {
      const isBelow = rawPath.startsWith(prefix) && rawPath.length > prefix.length;
      if (isBelow && (route.method === method || route.method === 'ANY')) return { route, parameters: {} };
    }
    return fallback === undefined ? undefined : { route: fallback, parameters: {} };
  };
}

function compareSegments(a: readonly string[], b: readonly string[]): number {
  for (const [index, segment] of a.entries()) {
    const difference =
      Number(parameterName(segment) !== undefined) - Number(parameterName(b[index] ?? '') !== undefined);
    if (difference !== 0) return difference;
  }
  return 0;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const name = parameterName(expected);
    if (name === undefined ? segment !== expected : segment === '') return undefined;
    if (name !== undefined) parameters[name] = segment;
  }
  return parameters;
}

function parameterName(segment: string): string | undefined {
  return segment.startsWith('{') && segment.endsWith('}') ? segment.slice(1, -1) : undefined;
}
