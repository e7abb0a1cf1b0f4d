package tables

import "overcrank/farm"

// Downloads reads all files that the farm hands out, by hash.
func (tx *Tx) Downloads() ([]farm.Download, error) {
	return all[farm.Download](tx.t, bucketDownloads), tx.t.err
}

// DownloadRemoved tells whether people had the farm no longer hand out the file with a hash, as far as that is remembered.
func (tx *Tx) DownloadRemoved(sha256 string) (bool, error) {
	return tx.t.has(bucketRemovedDownloads, sha256), tx.t.err
}

// Download reads one file that the farm hands out, by its hash.
func (tx *Tx) Download(sha256 string) (farm.Download, error) {
	d, ok := get[farm.Download](tx.t, bucketDownloads, sha256)
	if !ok {
		return farm.Download{}, noDownload(sha256)
	}
	return d, tx.t.err
}
