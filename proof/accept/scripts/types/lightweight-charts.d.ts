// The library of charts names itself in `globalThis`.
export {};
