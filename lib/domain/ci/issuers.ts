/** A CI system whose identity tokens may sign in. `issuer` is its `iss` claim to the letter, trailing slash or not. */
export interface CiIssuer {
  issuer: string;
  kind: 'github' | 'gitlab';
  algorithms: readonly ('RS256' | 'ES256')[];
  /** What its tokens must name as their audience when that is not the data proxy's URL. */
  audience?: string;
}
