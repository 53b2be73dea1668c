// Hooks of preact that the site uses.
export const useCallback: any;
export const useEffect: any;
export const useLayoutEffect: any;
export const useMemo: any;
export const useReducer: any;
export const useRef: any;
export const useState: any;
