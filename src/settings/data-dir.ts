/** Where data are if DATA_DIR does not say. */
export const defaultDataDir = './data'
