// What a browser remembers; it may refuse to, and the page works all the same.

export function remember(store, key, value) {
  try {
    if (value === null) store().removeItem(key);
    else store().setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: what was chosen lasts as long as the page.
  }
}

export function recalled(store, key) {
  try {
    return JSON.parse(store().getItem(key));
  } catch {
    return null;
  }
}

export const forThisTab = () => window.sessionStorage;
export const forThisBrowser = () => window.localStorage;
