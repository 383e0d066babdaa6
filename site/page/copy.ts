const shownForMs = 2000;

/** Adds a button that copies the text of an element. The attribute `data-copy` names the text for screen readers. */
export function addCopyButton(element: HTMLElement): void {
  // Browsers give pages without TLS no access to the clipboard.
  if (navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-button';
  const name = document.createElement('span');
  name.className = 'hidden';
  name.textContent = ` ${element.dataset['copy'] ?? 'the commands'}`;
  button.append('Copy', name);
  button.addEventListener('click', () => copy(element.innerText.trim(), button.firstChild as Text));
  if (element.tagName !== 'PRE') {
    element.after(' ', button);
    return;
  }
  // Keep the button at its corner while the reader scrolls the text.
  const frame = document.createElement('div');
  frame.className = 'copyable';
  element.replaceWith(frame);
  frame.append(element, button);
}

/** Copies a text, and shows for two seconds whether it was copied. */
export async function copy(text: string, label: Text): Promise<void> {
  const before = label.data;
  const result = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Select and copy the text',
  );
  if (['Copied', 'Select and copy the text'].includes(before)) return;
  label.data = result;
  announce(result);
  setTimeout(() => {
    label.data = before;
  }, shownForMs);
}

let status: HTMLElement | undefined;

/** Announces a message to users of screen readers. */
export function announce(message: string): void {
  if (status === undefined) {
    status = document.createElement('p');
    status.className = 'hidden';
    status.role = 'status';
    document.querySelector('main')?.append(status);
  }
  status.textContent = message;
}
