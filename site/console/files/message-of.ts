/** Returns the message for an error of the files view. Its errors have messages for users. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? error.message
    : 'Something went wrong in the page. Try again.';
}
