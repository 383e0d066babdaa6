/** What to say of what was thrown below the files view, whose errors are sentences. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? error.message
    : 'Something went wrong in the page. Try again.';
}
