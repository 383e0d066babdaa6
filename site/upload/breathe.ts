/** The number of items between two pauses. They take a few milliseconds on a slow machine. */
const itemsMax = 500;

/**
 * Pauses after every 500th item, so that the browser can draw and react to input. The pause waits for a message,
 * because a timer would take several milliseconds each time, and a second in a background tab.
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
