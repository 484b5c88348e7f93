// Package mediafiles has the use cases of media libraries: registering, uploading, confirming, keeping, moving and deleting
// files, and creating and deleting folders.
package mediafiles
