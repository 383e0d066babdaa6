/** Number of items between two yields: a few milliseconds of work on a slow machine. */
const itemsMax = 500;

/**
 * Yields to the browser after every 500th item, so that it can draw and react to input. Yields with a message, because
 * a timer would take milliseconds each time, and a second in a background tab.
 */
export async function breathe(index: number): Promise<void> {
  if (index % itemsMax !== itemsMax - 1) return;
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  port1.close();
}
